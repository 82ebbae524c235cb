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
