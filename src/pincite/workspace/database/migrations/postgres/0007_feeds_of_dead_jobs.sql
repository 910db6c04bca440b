-- A dead job hears of later changes of feeds, too: where the document is in the index, a worker takes
-- it up again.

CREATE OR REPLACE FUNCTION on_feed_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pincite, pg_temp AS $$
BEGIN
    UPDATE jobs SET feeds = coalesce(feeds, now())
    WHERE document_id IN (SELECT document_id FROM changed);
    RETURN NULL;
END $$;
CREATE INDEX jobs_with_feeds ON jobs (feeds, id)
    WHERE feeds IS NOT NULL AND state IN ('done', 'dead');
