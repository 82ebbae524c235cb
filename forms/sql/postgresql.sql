-- Renews the number of the site's tree with every change of its forms, so that pages which show them are made again.
-- The functions for forms are those of channels_app.

CREATE OR REPLACE TRIGGER forms_form_added AFTER INSERT ON forms_form
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_tree_changed()
-- end
CREATE OR REPLACE TRIGGER forms_form_changed AFTER UPDATE ON forms_form
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_trees_changed()
-- end
CREATE OR REPLACE TRIGGER forms_form_removed AFTER DELETE ON forms_form
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_tree_changed()
-- end

CREATE OR REPLACE FUNCTION forms_field_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM channels_app_new_version(ARRAY(
        SELECT DISTINCT f.site_id FROM forms_form f JOIN changed c ON c.form_id = f.id ORDER BY 1
    ));
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER forms_field_added AFTER INSERT ON forms_field
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forms_field_changed()
-- end
CREATE OR REPLACE TRIGGER forms_field_changed AFTER UPDATE ON forms_field
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forms_field_changed()
-- end
CREATE OR REPLACE TRIGGER forms_field_removed AFTER DELETE ON forms_field
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forms_field_changed()
-- end

-- The same for entries that everybody may read. A plain submission is no such entry, and calls no function.

CREATE OR REPLACE FUNCTION forms_entry_is_public(public_list text, state text, reply text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE public_list
        WHEN 'approved' THEN state = 'approved' WHEN 'replied' THEN reply <> '' AND state <> 'spam' ELSE false
    END
$$
-- end
-- Once per statement: the versions of a row in one transaction form a chain, which each further change follows.
CREATE OR REPLACE FUNCTION forms_entry_added() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    site bigint := (
        SELECT f.site_id FROM forms_form f
        WHERE f.id = NEW.form_id AND forms_entry_is_public(f.public_list, NEW.state, NEW.reply)
    );
    statement text := concat(site, ' ', statement_timestamp());
BEGIN
    IF site IS NOT NULL AND statement IS DISTINCT FROM current_setting('forms.renewed', true) THEN
        PERFORM channels_app_new_version(ARRAY[site]);
        PERFORM set_config('forms.renewed', statement, true);
    END IF;
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER forms_entry_added AFTER INSERT ON forms_entry
FOR EACH ROW WHEN (NEW.state = 'approved' OR (NEW.reply <> '' AND NEW.state <> 'spam'))
EXECUTE FUNCTION forms_entry_added()
-- end
CREATE OR REPLACE FUNCTION forms_entry_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM channels_app_new_version(ARRAY(
        SELECT DISTINCT f.site_id FROM gone g JOIN changed c ON c.id = g.id
        JOIN forms_form f ON f.id IN (g.form_id, c.form_id) AND f.public_list <> 'none'
        WHERE (g.form_id, g.state, g."values", g.reply, g.replied_at, g.created_at)
              IS DISTINCT FROM (c.form_id, c.state, c."values", c.reply, c.replied_at, c.created_at)
          AND (forms_entry_is_public(f.public_list, g.state, g.reply)
               OR forms_entry_is_public(f.public_list, c.state, c.reply))
        ORDER BY 1
    ));
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER forms_entry_changed AFTER UPDATE ON forms_entry
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forms_entry_changed()
-- end
CREATE OR REPLACE FUNCTION forms_entry_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM channels_app_new_version(ARRAY(
        SELECT DISTINCT f.site_id FROM changed c
        JOIN forms_form f ON f.id = c.form_id AND forms_entry_is_public(f.public_list, c.state, c.reply)
        ORDER BY 1
    ));
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER forms_entry_removed AFTER DELETE ON forms_entry
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION forms_entry_removed()
-- end
