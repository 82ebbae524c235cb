-- Renews the number of the site's tree with every change of its templates and of the kinds of its fields, so that
-- processes which keep them by that number (pages.site_facts) notice.

CREATE TRIGGER pages_template_added AFTER INSERT ON pages_template
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (NEW.site_id);
END
-- end

CREATE TRIGGER pages_template_changed AFTER UPDATE ON pages_template
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (OLD.site_id, NEW.site_id);
END
-- end

CREATE TRIGGER pages_template_removed AFTER DELETE ON pages_template
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (OLD.site_id);
END
-- end

CREATE TRIGGER pages_field_added AFTER INSERT ON cms_sites_fielddefinition
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (NEW.site_id);
END
-- end

CREATE TRIGGER pages_field_changed AFTER UPDATE ON cms_sites_fielddefinition
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (OLD.site_id, NEW.site_id);
END
-- end

CREATE TRIGGER pages_field_removed AFTER DELETE ON cms_sites_fielddefinition
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (OLD.site_id);
END
-- end
