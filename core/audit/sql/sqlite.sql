-- Keeps audit_auditentry append-only: nothing is changed, and only what is older than a row of
-- audit_auditretention is deleted, which `manage.py purge audit` writes and takes back in its own transaction.

CREATE TRIGGER audit_changed BEFORE UPDATE ON audit_auditentry
BEGIN
    SELECT RAISE(ABORT, 'Entries of the audit are never changed.');
END
-- end

CREATE TRIGGER audit_deleted BEFORE DELETE ON audit_auditentry
WHEN NOT EXISTS (SELECT 1 FROM audit_auditretention WHERE before > OLD.at)
BEGIN
    SELECT RAISE(ABORT, 'Entries of the audit are deleted by "manage.py purge audit" only, when they are old enough.');
END
-- end

-- INSERT OR REPLACE deletes a row of the same number, for which SQLite fires no trigger of deletions.
CREATE TRIGGER audit_replaced BEFORE INSERT ON audit_auditentry
WHEN EXISTS (SELECT 1 FROM audit_auditentry WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'Entries of the audit are never changed.');
END
-- end
