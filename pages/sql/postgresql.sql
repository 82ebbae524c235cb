-- Renews the number of the site's tree with every change of its templates and of the kinds of its fields, so that
-- processes that cache them under this number (pages.site_facts) notice. The functions are those of channels_app.

CREATE OR REPLACE TRIGGER pages_template_added AFTER INSERT ON pages_template
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_tree_changed()
-- end
CREATE OR REPLACE TRIGGER pages_template_changed AFTER UPDATE ON pages_template
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_trees_changed()
-- end
CREATE OR REPLACE TRIGGER pages_template_removed AFTER DELETE ON pages_template
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_tree_changed()
-- end

CREATE OR REPLACE TRIGGER pages_field_added AFTER INSERT ON cms_sites_fielddefinition
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_tree_changed()
-- end
CREATE OR REPLACE TRIGGER pages_field_changed AFTER UPDATE ON cms_sites_fielddefinition
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_trees_changed()
-- end
CREATE OR REPLACE TRIGGER pages_field_removed AFTER DELETE ON cms_sites_fielddefinition
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_tree_changed()
-- end

-- Pages mark the addresses of replaced files.

CREATE OR REPLACE FUNCTION pages_file_replaced() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM channels_app_new_version(ARRAY[NEW.site_id]);
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER pages_file_replaced AFTER UPDATE ON media_library_mediafile
FOR EACH ROW WHEN (OLD.replaced_at IS DISTINCT FROM NEW.replaced_at) EXECUTE FUNCTION pages_file_replaced()
-- end

-- Renews the number of the site's approved contents (pages_contentsversion) with every change that a page can show:
-- contents, bodies, extra pictures, names of groups and tags, custom fields. Hits are left out.
-- A row that another transaction has changed is locked until that ends: it is skipped, and a further one added if none
-- is free. Writers therefore neither wait for each other nor for one another in a circle.

CREATE OR REPLACE FUNCTION pages_renew(sites bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    site bigint;
BEGIN
    FOREACH site IN ARRAY sites LOOP
        UPDATE pages_contentsversion SET number = (random() * 9007199254740991)::bigint
        WHERE id = (SELECT id FROM pages_contentsversion WHERE site_id = site ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED);
        IF NOT FOUND THEN
            INSERT INTO pages_contentsversion (site_id, number)
            VALUES (site, (random() * 9007199254740991)::bigint);
        END IF;
    END LOOP;
END $$
-- end

CREATE OR REPLACE FUNCTION pages_contents_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pages_renew(ARRAY(
        SELECT DISTINCT site_id FROM changed WHERE is_checked AND trashed_at IS NULL));
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION pages_contents_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pages_renew(ARRAY(
        WITH differing AS (
            SELECT o.site_id AS old_site, n.site_id AS new_site FROM gone o JOIN changed n ON n.id = o.id
            WHERE (o.is_checked AND o.trashed_at IS NULL OR n.is_checked AND n.trashed_at IS NULL)
              AND (/*o.shown*/) IS DISTINCT FROM (/*n.shown*/))
        SELECT old_site FROM differing UNION SELECT new_site FROM differing));
    RETURN NULL;
END $$
-- end

-- Of rows that belong to a content.
CREATE OR REPLACE FUNCTION pages_part_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pages_renew(ARRAY(
        SELECT DISTINCT c.site_id FROM changed p JOIN contents_content c ON c.id = p.content_id
        WHERE c.is_checked AND c.trashed_at IS NULL));
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION pages_names_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pages_renew(ARRAY(SELECT DISTINCT site_id FROM changed));
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION pages_site_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pages_renew(ARRAY[NEW.id]);
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION pages_site_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pages_contentsversion WHERE site_id = OLD.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE TRIGGER pages_content_added AFTER INSERT ON contents_content
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_contents_changed()
-- end
CREATE OR REPLACE TRIGGER pages_content_changed AFTER UPDATE ON contents_content
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_contents_updated()
-- end
CREATE OR REPLACE TRIGGER pages_content_removed AFTER DELETE ON contents_content
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_contents_changed()
-- end

CREATE OR REPLACE TRIGGER pages_body_added AFTER INSERT ON contents_contentbody
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_part_changed()
-- end
CREATE OR REPLACE TRIGGER pages_body_changed AFTER UPDATE ON contents_contentbody
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_part_changed()
-- end
CREATE OR REPLACE TRIGGER pages_body_removed AFTER DELETE ON contents_contentbody
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_part_changed()
-- end

CREATE OR REPLACE TRIGGER pages_picture_added AFTER INSERT ON contents_contentpicture
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_part_changed()
-- end
CREATE OR REPLACE TRIGGER pages_picture_changed AFTER UPDATE ON contents_contentpicture
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_part_changed()
-- end
CREATE OR REPLACE TRIGGER pages_picture_removed AFTER DELETE ON contents_contentpicture
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_part_changed()
-- end

-- New groups and tags show nothing until a content has them.
CREATE OR REPLACE TRIGGER pages_group_changed AFTER UPDATE ON contents_contentgroup
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_names_changed()
-- end
CREATE OR REPLACE TRIGGER pages_group_removed AFTER DELETE ON contents_contentgroup
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_names_changed()
-- end

CREATE OR REPLACE TRIGGER pages_tag_changed AFTER UPDATE ON contents_contenttag
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_names_changed()
-- end
CREATE OR REPLACE TRIGGER pages_tag_removed AFTER DELETE ON contents_contenttag
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_names_changed()
-- end

CREATE OR REPLACE TRIGGER pages_custom_field_added AFTER INSERT ON contents_customfield
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_names_changed()
-- end
CREATE OR REPLACE TRIGGER pages_custom_field_changed AFTER UPDATE ON contents_customfield
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_names_changed()
-- end
CREATE OR REPLACE TRIGGER pages_custom_field_removed AFTER DELETE ON contents_customfield
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_names_changed()
-- end

CREATE OR REPLACE TRIGGER pages_site_added AFTER INSERT ON cms_sites_site
FOR EACH ROW EXECUTE FUNCTION pages_site_added()
-- end
CREATE OR REPLACE TRIGGER pages_site_removed AFTER DELETE ON cms_sites_site
FOR EACH ROW EXECUTE FUNCTION pages_site_removed()
-- end
-- Sites that had no number yet: their pages are not kept without one.
SELECT pages_renew(ARRAY(SELECT id FROM cms_sites_site s WHERE NOT EXISTS (
    SELECT FROM pages_contentsversion v WHERE v.site_id = s.id)))
-- end

-- Deletes the former addresses of deleted channels and contents.

CREATE OR REPLACE FUNCTION pages_content_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pages_formeraddress WHERE content_id IN (SELECT id FROM changed);
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION pages_channel_gone() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pages_formeraddress WHERE channel_id IN (SELECT id FROM changed);
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE TRIGGER pages_content_gone AFTER DELETE ON contents_content
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_content_gone()
-- end
CREATE OR REPLACE TRIGGER pages_channel_gone AFTER DELETE ON channels_app_channel
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_channel_gone()
-- end
