PERIODIC_TASKS = {"mail.sending": (5.0, "cms_api.mail.sending.send_due")}
