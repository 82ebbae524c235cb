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

-- The same for entries that everybody may read. A plain submission is no such entry.

CREATE TRIGGER forms_entry_added AFTER INSERT ON forms_entry
WHEN NEW.state = 'approved' OR (NEW.reply <> '' AND NEW.state <> 'spam')
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991)
    WHERE site_id IN (SELECT site_id FROM forms_form WHERE id = NEW.form_id AND (
        (public_list = 'approved' AND NEW.state = 'approved')
        OR (public_list = 'replied' AND NEW.reply <> '' AND NEW.state <> 'spam')
    ));
END
-- end

CREATE TRIGGER forms_entry_changed AFTER UPDATE OF form_id, state, "values", reply, replied_at, created_at ON forms_entry
WHEN (OLD.form_id, OLD.state, OLD."values", OLD.reply, OLD.replied_at, OLD.created_at)
     IS NOT (NEW.form_id, NEW.state, NEW."values", NEW.reply, NEW.replied_at, NEW.created_at)
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991)
    WHERE site_id IN (SELECT site_id FROM forms_form WHERE id IN (OLD.form_id, NEW.form_id) AND (
        (public_list = 'approved' AND 'approved' IN (OLD.state, NEW.state))
        OR (public_list = 'replied'
            AND ((OLD.reply <> '' AND OLD.state <> 'spam') OR (NEW.reply <> '' AND NEW.state <> 'spam')))
    ));
END
-- end

CREATE TRIGGER forms_entry_removed AFTER DELETE ON forms_entry
WHEN OLD.state = 'approved' OR (OLD.reply <> '' AND OLD.state <> 'spam')
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991)
    WHERE site_id IN (SELECT site_id FROM forms_form WHERE id = OLD.form_id AND (
        (public_list = 'approved' AND OLD.state = 'approved')
        OR (public_list = 'replied' AND OLD.reply <> '' AND OLD.state <> 'spam')
    ));
END
-- end
