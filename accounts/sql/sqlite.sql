-- The release before this one stores accounts without their folded names. A guess, which is exact but for some
-- letters, serves until `accounts.folding` replaces it.

CREATE TRIGGER accounts_user_added AFTER INSERT ON accounts_user WHEN NEW.folding_stamp IS NULL
BEGIN
    UPDATE accounts_user SET
        folded_user_name = lower(NEW.user_name),
        folded_display_name = lower(NEW.display_name),
        folded_email = lower(NEW.email),
        folded_mobile = lower(NEW.mobile)
    WHERE id = NEW.id;
END
-- end

CREATE TRIGGER accounts_user_renamed AFTER UPDATE OF user_name, display_name, email, mobile ON accounts_user
WHEN NEW.folding_stamp IS OLD.folding_stamp AND (
    NEW.user_name <> OLD.user_name OR NEW.display_name <> OLD.display_name OR NEW.email <> OLD.email OR NEW.mobile <> OLD.mobile
)
BEGIN
    UPDATE accounts_user SET
        folded_user_name = CASE WHEN NEW.user_name = OLD.user_name THEN NEW.folded_user_name ELSE lower(NEW.user_name) END,
        folded_display_name = CASE WHEN NEW.display_name = OLD.display_name THEN NEW.folded_display_name ELSE lower(NEW.display_name) END,
        folded_email = CASE WHEN NEW.email = OLD.email THEN NEW.folded_email ELSE lower(NEW.email) END,
        folded_mobile = CASE WHEN NEW.mobile = OLD.mobile THEN NEW.folded_mobile ELSE lower(NEW.mobile) END,
        folding_stamp = NULL
    WHERE id = NEW.id;
END
-- end

CREATE TRIGGER accounts_administrator_added AFTER INSERT ON accounts_administrator WHEN NEW.folding_stamp IS NULL
BEGIN
    UPDATE accounts_administrator SET
        folded_user_name = lower(NEW.user_name),
        folded_display_name = lower(NEW.display_name),
        folded_email = lower(NEW.email),
        folded_mobile = lower(NEW.mobile)
    WHERE id = NEW.id;
END
-- end

CREATE TRIGGER accounts_administrator_renamed AFTER UPDATE OF user_name, display_name, email, mobile ON accounts_administrator
WHEN NEW.folding_stamp IS OLD.folding_stamp AND (
    NEW.user_name <> OLD.user_name OR NEW.display_name <> OLD.display_name OR NEW.email <> OLD.email OR NEW.mobile <> OLD.mobile
)
BEGIN
    UPDATE accounts_administrator SET
        folded_user_name = CASE WHEN NEW.user_name = OLD.user_name THEN NEW.folded_user_name ELSE lower(NEW.user_name) END,
        folded_display_name = CASE WHEN NEW.display_name = OLD.display_name THEN NEW.folded_display_name ELSE lower(NEW.display_name) END,
        folded_email = CASE WHEN NEW.email = OLD.email THEN NEW.folded_email ELSE lower(NEW.email) END,
        folded_mobile = CASE WHEN NEW.mobile = OLD.mobile THEN NEW.folded_mobile ELSE lower(NEW.mobile) END,
        folding_stamp = NULL
    WHERE id = NEW.id;
END
-- end
