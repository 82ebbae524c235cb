"""Refusals of services, told in the language of who reads them; clients of the API get the services' own words."""

import math
from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from cms_api.lib.errors import LimitReached, ServiceError

# By the code; where there is none, the service's own words are better than nothing.
SENTENCES: Mapping[str, Promise] = {
    "sign_in_failed": _("The account or the password is wrong, or the account is locked."),
    "busy": _("There are too many sign-ins at once; try again in a moment."),
    "content_not_found": _("The content is not there any more."),
    "channel_not_found": _("The channel, or the one it belongs below, is not there any more."),
    "channel_in_trash": _("Its channel is in the trash; restore the channel first."),
    "channel_in_use": _("Something still belongs to the channel."),
    "too_many_jobs": _("%(most)d of your jobs wait or run already. Ask again when one of them has ended."),
    "changed_meanwhile": _("Somebody has changed it meanwhile; look at it again."),
    "approved_already": _("It is approved already."),
    "not_approved": _("It is not approved."),
    "not_waiting": _("It does not wait for a decision."),
    "handed_in_already": _("It has been handed in already."),
    "level_beyond": _("Your rights do not reach this level of approval."),
    "right_gone": _("You have no right to do this any more."),
    "reasons_missing": _("A rejection needs its reasons."),
    "in_channel_already": _("It stands in this channel already."),
    "target_not_found": _("The channel is not there any more."),
    "target_of_another_site": _("The channel belongs to another site; contents stay in theirs."),
    "channel_takes_no_contents": _("The channel takes no contents."),
    "too_many_names": _("These are too many names for one content."),
    "version_forgotten": _("What it was before is not kept any more."),
    "channel_below_itself": _("A channel cannot go below itself."),
    "channel_takes_no_channels": _("The channel does not take channels below it; its settings say so."),
    "tree_changed": _("Somebody else has moved the channels meanwhile; nothing was moved. This is how they stand now."),
    "too_many_channels": _("These are too many channels at a time."),
    "move_unreadable": _("The place for the channel cannot be read; choose it again."),
    "custom_field_too_large": _(
        "“%(member)s” is too large. A custom field has at most CMS_MAX_CUSTOM_FIELD_BYTES bytes, and all custom fields "
        "of a record have at most eight times as many. The operator of the service can raise this setting."
    ),
    "field_name_invalid": _("This cannot be the name of a custom field."),
    "field_name_taken": _("The site has a field of this name already."),
    "data_picture": _("A picture is written into the text itself; upload it instead."),
    "nested_too_deeply": _("Parts of the text are nested too deeply. Paste it again as plain text."),
    "too_much_markup": _("The text has too much markup; paste it without its format, or divide it into several texts."),
    "file_empty": _("The file is empty."),
    "file_expected": _("No file has arrived."),
    "one_file_expected": _("Send one file at a time."),
    "upload_too_large": _("The file is too large; at most %(size)s are allowed."),
    "type_not_taken": _("The site does not take files of this type here, but: %(types)s."),
    "content_differs": _("The file does not hold what its name says; it is not of the type %(type)s."),
    "not_a_picture": _("The file is no whole picture in the format GIF, JPEG, PNG, WebP or BMP."),
    "picture_too_large": _("The picture has too many pixels."),
    "picture_too_large_for_format": _(
        "In this format a picture may have %(megapixels)s megapixels at most. Save it as a JPEG that is not "
        "progressive or as a PNG that is not interlaced."
    ),
    "animation_too_large": _("An animation may have %(side)d pixels on a side at most."),
    "pictures_busy": _("Many pictures are being taken in at once; try again in a moment."),
    "watermark_font_missing": _(
        "The watermark of the site cannot be drawn: no font that was found on the server has all of its "
        "characters, such as “%(character)s”. Change “Text of the watermark” in the settings of the site, enter the "
        "file of a font that has them as “Font of the watermark”, or have such a font installed."
    ),
    "watermark_unwritable": _(
        "The watermark of the site cannot be drawn in its font. Change “Font of the watermark” in the settings of the "
        "site."
    ),
    "watermark_missing": _(
        "The watermark of the site cannot be drawn: the site has no file %(address)s. Change “Picture of the "
        "watermark” in its settings."
    ),
    "watermark_unreadable": _(
        "The watermark of the site cannot be drawn: its picture is none, has more than 4 million pixels, or more than "
        "5 MB. Change “Picture of the watermark” in the settings of the site."
    ),
    "storage_busy": _("The store of files is busy; try again in a moment."),
    "storage_unavailable": _("The store of files does not answer; try again later."),
    "site_not_found": _("The site is not there any more."),
    "home_channel": _("The home channel is the site itself; it can be neither moved nor deleted."),
    "name_taken": _("Another channel has taken the index name or the file path."),
    "user_not_found": _("The user is not there any more."),
    "administrator_not_found": _("The administrator is not there any more."),
    "group_not_found": _("The group is not there any more."),
    "last_administrator": _("Nobody of the highest rank who may sign in would be left."),
    "own_account": _("Nobody can lock, delete or demote themselves."),
    "user_name_taken": _("Another account has it as name, e-mail address or mobile."),
    "email_taken": _("Another account has it as name, e-mail address or mobile."),
    "mobile_taken": _("Another account has it as name, e-mail address or mobile."),
    "user_name_invalid": _("A name has no blanks around it and no control characters."),
    "password_too_weak": _("The password is too weak."),
    "password_changed_meanwhile": _("Somebody else has changed the password meanwhile."),
    "sites_missing": _("Choose the sites that the administrator looks after."),
    "version_not_kept": _("This version is not kept any more."),
    "nothing_to_revert": _("The content is already as it was at that version."),
    "name_not_found": _("The group or tag is not there any more."),
    "name_unfit": _("A name has at most 255 characters and no comma."),
    "name_of_group_taken": _("The site has a group of this name already."),
    "name_too_long": _("A content would have more than 2,000 characters of names with it; choose a shorter name."),
}


def tell(refusal: ServiceError) -> str:
    """A sentence for people in the present language."""
    if isinstance(refusal, LimitReached) and refusal.code == "too_many_failures":
        minutes = math.ceil(refusal.wait / 60)
        sentence = ngettext(
            "Too many attempts have failed. Try again in a minute.",
            "Too many attempts have failed. Try again in %(minutes)d minutes.",
            minutes,
        )
        return sentence % {"minutes": minutes}
    if (known := SENTENCES.get(refusal.code)) is None:
        return refusal.message
    return str(known) % refusal.members if refusal.members else str(known)
