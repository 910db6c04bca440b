-- A dead job hears of later changes of feeds, too: where the document is in the index, a worker takes
-- it up again.
DROP TRIGGER feed_gets;
DROP TRIGGER feed_loses;
CREATE TRIGGER feed_gets AFTER INSERT ON feed_documents BEGIN
    UPDATE jobs SET feeds = coalesce(feeds, app_now()) WHERE document_id = NEW.document_id;
END;
CREATE TRIGGER feed_loses AFTER DELETE ON feed_documents BEGIN
    UPDATE jobs SET feeds = coalesce(feeds, app_now()) WHERE document_id = OLD.document_id;
END;
CREATE INDEX jobs_with_feeds ON jobs (feeds, id)
    WHERE feeds IS NOT NULL AND state IN ('done', 'dead');
