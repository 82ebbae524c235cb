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
