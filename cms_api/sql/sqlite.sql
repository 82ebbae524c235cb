-- Keeps cms_api_auditentry append-only: nothing is changed, and only what is older than a row of
-- cms_api_auditretention is deleted, which `manage.py purge_audit` writes and takes back in its own transaction.

CREATE TRIGGER cms_api_audit_changed BEFORE UPDATE ON cms_api_auditentry
BEGIN
    SELECT RAISE(ABORT, 'Entries of the audit are never changed.');
END
-- end

CREATE TRIGGER cms_api_audit_deleted BEFORE DELETE ON cms_api_auditentry
WHEN NOT EXISTS (SELECT 1 FROM cms_api_auditretention WHERE before > OLD.at)
BEGIN
    SELECT RAISE(ABORT, 'Entries of the audit are deleted by "manage.py purge_audit" only, when they are old enough.');
END
-- end

-- INSERT OR REPLACE deletes a row of the same number, for which SQLite fires no trigger of deletions.
CREATE TRIGGER cms_api_audit_replaced BEFORE INSERT ON cms_api_auditentry
WHEN EXISTS (SELECT 1 FROM cms_api_auditentry WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'Entries of the audit are never changed.');
END
-- end
