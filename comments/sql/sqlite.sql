-- Renews the number of the site's contents with every change of comments that pages show, so that these are made again.

CREATE TRIGGER comments_comment_added AFTER INSERT ON comments_comment WHEN NEW.state = 'approved'
BEGIN
    INSERT INTO pages_contentsversion (id, site_id, number)
    VALUES (NEW.site_id, NEW.site_id, abs(random() % 9007199254740991))
    ON CONFLICT (id) DO UPDATE SET number = excluded.number;
END
-- end

CREATE TRIGGER comments_comment_changed AFTER UPDATE OF state, text, name, parent_id, content_id, created_at ON comments_comment
WHEN OLD.state = 'approved' OR NEW.state = 'approved'
BEGIN
    INSERT INTO pages_contentsversion (id, site_id, number)
    VALUES (NEW.site_id, NEW.site_id, abs(random() % 9007199254740991))
    ON CONFLICT (id) DO UPDATE SET number = excluded.number;
END
-- end

CREATE TRIGGER comments_comment_removed AFTER DELETE ON comments_comment WHEN OLD.state = 'approved'
BEGIN
    UPDATE pages_contentsversion SET number = abs(random() % 9007199254740991) WHERE site_id = OLD.site_id;
END
-- end
