-- Renews the number of the site's tree with every change of its templates and of the kinds of its fields, so that
-- processes which keep them by that number (pages.site_facts) notice.

CREATE OR REPLACE FUNCTION pages_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE channels_app_treeversion SET number = (random() * 9007199254740991)::bigint
    WHERE site_id IN (SELECT site_id FROM changed);
    RETURN NULL;
END $$
-- end

-- A template or field may have left one site for another.
CREATE OR REPLACE FUNCTION pages_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE channels_app_treeversion SET number = (random() * 9007199254740991)::bigint
    WHERE site_id IN (SELECT site_id FROM changed UNION SELECT site_id FROM gone);
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE TRIGGER pages_template_added AFTER INSERT ON pages_template
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_changed()
-- end
CREATE OR REPLACE TRIGGER pages_template_changed AFTER UPDATE ON pages_template
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_moved()
-- end
CREATE OR REPLACE TRIGGER pages_template_removed AFTER DELETE ON pages_template
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_changed()
-- end

CREATE OR REPLACE TRIGGER pages_field_added AFTER INSERT ON cms_sites_fielddefinition
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_changed()
-- end
CREATE OR REPLACE TRIGGER pages_field_changed AFTER UPDATE ON cms_sites_fielddefinition
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_moved()
-- end
CREATE OR REPLACE TRIGGER pages_field_removed AFTER DELETE ON cms_sites_fielddefinition
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION pages_changed()
-- end
