-- Renews the number of the site's tree with every change of its forms, so that pages which show them are made again.

CREATE TRIGGER forms_form_added AFTER INSERT ON forms_form
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id = NEW.site_id;
END
-- end

CREATE TRIGGER forms_form_changed AFTER UPDATE ON forms_form
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (OLD.site_id, NEW.site_id);
END
-- end

CREATE TRIGGER forms_form_removed AFTER DELETE ON forms_form
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id = OLD.site_id;
END
-- end

CREATE TRIGGER forms_field_added AFTER INSERT ON forms_field
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991)
    WHERE site_id IN (SELECT site_id FROM forms_form WHERE id = NEW.form_id);
END
-- end

CREATE TRIGGER forms_field_changed AFTER UPDATE ON forms_field
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991)
    WHERE site_id IN (SELECT site_id FROM forms_form WHERE id IN (OLD.form_id, NEW.form_id));
END
-- end

CREATE TRIGGER forms_field_removed AFTER DELETE ON forms_field
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991)
    WHERE site_id IN (SELECT site_id FROM forms_form WHERE id = OLD.form_id);
END
-- end
