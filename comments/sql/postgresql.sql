-- Renews the number of the site's contents with every change of comments that pages show, so that these are made again.

CREATE OR REPLACE FUNCTION comments_comment_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pages_renew(ARRAY[CASE WHEN TG_OP = 'DELETE' THEN OLD.site_id ELSE NEW.site_id END]);
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE TRIGGER comments_comment_added AFTER INSERT ON comments_comment
FOR EACH ROW WHEN (NEW.state = 'approved') EXECUTE FUNCTION comments_comment_changed()
-- end
CREATE OR REPLACE TRIGGER comments_comment_changed AFTER UPDATE OF state, text, name, parent_id, content_id, created_at ON comments_comment
FOR EACH ROW WHEN (OLD.state = 'approved' OR NEW.state = 'approved') EXECUTE FUNCTION comments_comment_changed()
-- end
CREATE OR REPLACE TRIGGER comments_comment_removed AFTER DELETE ON comments_comment
FOR EACH ROW WHEN (OLD.state = 'approved') EXECUTE FUNCTION comments_comment_changed()
-- end
