-- Which documents' points name other feeds than the document is in, and since when: a job writes
-- them again when nothing else is to be done.
ALTER TABLE jobs ADD COLUMN feeds TEXT;
CREATE INDEX jobs_of_feeds ON jobs (feeds, id) WHERE feeds IS NOT NULL AND state = 'done';

CREATE TRIGGER feed_gets AFTER INSERT ON feed_documents BEGIN
    UPDATE jobs SET feeds = coalesce(feeds, app_now())
    WHERE document_id = NEW.document_id AND state <> 'dead';
END;
CREATE TRIGGER feed_loses AFTER DELETE ON feed_documents BEGIN
    UPDATE jobs SET feeds = coalesce(feeds, app_now())
    WHERE document_id = OLD.document_id AND state <> 'dead';
END;
