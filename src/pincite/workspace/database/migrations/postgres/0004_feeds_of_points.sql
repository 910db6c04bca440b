-- Which documents' points name other feeds than the document is in, and since when: a job writes
-- them again when nothing else is to be done.

ALTER TABLE jobs ADD COLUMN feeds timestamptz;
CREATE INDEX jobs_of_feeds ON jobs (feeds, id) WHERE feeds IS NOT NULL AND state = 'done';

CREATE FUNCTION on_feed_changed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pincite, pg_temp AS $$
BEGIN
    UPDATE jobs SET feeds = coalesce(feeds, now())
    WHERE state <> 'dead' AND document_id IN (SELECT document_id FROM changed);
    RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION on_feed_changed FROM PUBLIC;
CREATE TRIGGER feed_gets AFTER INSERT ON feed_documents
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION on_feed_changed();
CREATE TRIGGER feed_loses AFTER DELETE ON feed_documents
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION on_feed_changed();
