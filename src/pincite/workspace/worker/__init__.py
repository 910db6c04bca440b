"""The worker: brings the index up to date with the requests of users, job by job."""
