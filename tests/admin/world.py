"""Two sites with something of each kind in both, and administrators of every rank."""

from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from accounts.models import SecondFactor, UserLog
from channels_app.models import TrashedChannel
from channels_app.services import trash_channel
from comments.models import Comment
from contents.models import ContentChange, ContentGroup, ContentTag, TrashedContent
from contents.services.single import trash_content
from contents.services.site_trash import trash_site
from core.admin.pages import offered_rights
from core.jobs.models import Job
from core.operation.models import Node
from forms.models import Entry, Form
from media_library.models import MediaFile, MediaFolder
from pages.models import Template
from sites.models import TrashedSite
from tests.factories import (
    AdministratorFactory,
    ApiKeyFactory,
    ChannelFactory,
    ContentFactory,
    SiteFactory,
    UserFactory,
)
from webhooks.models import Delivery, Webhook


def branch_records(site, name):
    """One record of each kind that belongs to a channel, in a new branch of the site."""
    channel = ChannelFactory(site=site, channel_name=f"{name} channel")
    ChannelFactory(parent=channel, channel_name=f"{name} channel below")
    content = ContentFactory(channel=channel, title=f"{name} content")
    gone, gone_channel = (
        ContentFactory(channel=channel, title=f"{name} gone content"),
        ChannelFactory(parent=channel, channel_name=f"{name} gone channel"),
    )
    trash_content(site.pk, channel.pk, gone.pk)
    trash_channel(site.pk, gone_channel.pk)
    folder = MediaFolder.objects.create(site=site, name=f"{name} folder", channel_id=channel.pk)
    return {
        "media_library.mediafile": _file(site, f"{name} file", folder),
        "channels_app.channel": channel,
        "channels_app.trashedchannel": TrashedChannel.objects.get(pk=gone_channel.pk),
        "comments.comment": Comment.objects.create(site=site, content=content, name="Ann", text=f"{name} comment"),
        "contents.content": content,
        "contents.trashedcontent": TrashedContent.objects.get(pk=gone.pk),
        "contents.contentchange": ContentChange.objects.create(
            content=ContentFactory(channel=channel, title=f"{name} changed content", version=2),
            site_id=site.pk,
            version=2,
            actor_kind="command",
            before='{"title":"old"}',
        ),
    }


def site_records(name):
    """One record of each kind that belongs to a site, by the label of its model."""
    site = SiteFactory(site_name=f"{name} site")
    records = branch_records(site, name)
    hook = Webhook.objects.create(name=f"{name} webhook", url="https://receiver.example/", site_id=site.pk)
    form = Form.objects.create(site=site, name=f"{name} form", public_list="approved")
    return records | {
        "forms.entry": Entry.objects.create(form=form, values={"1": f"{name} value"}),
        "forms.form": form,
        "cms_sites.site": site,
        "contents.contentgroup": ContentGroup.objects.create(site=site, group_name=f"{name} group"),
        "contents.contenttag": ContentTag.objects.create(site=site, tag_name=f"{name} tag"),
        "webhooks.delivery": Delivery.objects.create(
            pk=hook.pk,  # the audit names the webhook
            webhook=hook,
            position=1,
            message_id="evt_1",
            event_name="content.created",
            subject="content:1",
            occurred_at=records["contents.content"].add_date,
            payload="{}",
            state=Delivery.State.DELIVERED,
        ),
        "webhooks.webhook": hook,
        "pages.template": Template.objects.create(site=site, kind="ChannelTemplate", name=f"{name} template"),
    }


def _file(site, title, folder):
    path, data = f"upload/{title}.txt", title.encode()
    default_storage.delete(f"sites/{site.pk}/{path}")
    default_storage.save(f"sites/{site.pk}/{path}", ContentFile(data))
    return MediaFile.objects.create(site=site, path=path, kind="document", bytes=len(data), title=title, folder=folder)


def other_records():
    """One record of each kind that belongs to no site."""
    key = ApiKeyFactory(administrator=AdministratorFactory(user_name="key owner"))
    colleague = AdministratorFactory(user_name="colleague", is_superuser=False)
    SecondFactor.objects.create(administrator=colleague, secret="x", last_step=0)
    gone = SiteFactory(site_name="gone site")
    trash_site(gone.pk)
    return {
        "accounts.administrator": colleague,
        "accounts.user": UserFactory(user_name="reader", is_checked=False),
        "accounts.userlog": UserLog.objects.create(user_name="visitor", action="Sign-in"),
        "apikeys.apikey": key,
        "auth.group": Group.objects.create(name="editors"),
        "jobs.job": Job.objects.create(kind="transfer.new_site", token="x", administrator_id=key.administrator_id),
        "operation.node": Node.objects.create(name="node 1"),
        "cms_sites.trashedsite": TrashedSite.objects.get(pk=gone.pk),
    }


def administrator_with(*rights, **fields):
    """An ordinary administrator of a group with these rights: `contents.approve_content`."""
    made = AdministratorFactory(is_superuser=False, **fields)
    group = Group.objects.create(name=f"group of {made}")
    named = {f"{each.content_type.app_label}.{each.codename}": each for each in Permission.objects.select_related()}
    group.permissions.add(*(named[right] for right in rights))
    made.groups.add(group)
    return made


def administrator_with_every_right(**fields):
    """An ordinary administrator who has every right that groups can have."""
    return administrator_with(*offered_rights(admin.site), **fields)
