"""What files have now, looked at before passages of them are shown."""
