"""Objects for tests. A call states only what its test is about."""

from unittest.mock import patch

import factory
from django.utils import timezone

from accounts.models import Administrator, User
from apikeys.models import ApiKey
from channels_app.models import Channel
from channels_app.services import create_channel, create_site
from contents.models import Content, ContentBody
from sites.models import Site


class AdministratorFactory(factory.django.DjangoModelFactory[Administrator]):
    class Meta:
        model = Administrator
        skip_postgeneration_save = True

    user_name = factory.Sequence(lambda n: f"administrator{n}")
    password = "!"  # nobody signs in unless a test sets one; hashing costs 20 ms
    is_superuser = True


class UserFactory(factory.django.DjangoModelFactory[User]):
    class Meta:
        model = User

    user_name = factory.Sequence(lambda n: f"user{n}")
    password = "!"


class SiteFactory(factory.django.DjangoModelFactory[Site]):
    """A site with its home channel."""

    class Meta:
        model = Site

    site_name = factory.Sequence(lambda n: f"Site {n}")
    site_dir = factory.Sequence(lambda n: f"site{n}")

    @classmethod
    def _create(cls, model_class, *args, **fields):
        return create_site(fields.pop("site_name"), **fields)


class ChannelFactory(factory.django.DjangoModelFactory[Channel]):
    """A channel below `parent`, or below the home channel of `site`, or of a new site."""

    class Meta:
        model = Channel

    channel_name = factory.Sequence(lambda n: f"Channel {n}")

    @classmethod
    def _create(cls, model_class, *args, parent=None, site=None, **fields):
        parent = parent or Channel.objects.get(pk=(site or SiteFactory()).pk)
        return create_channel(parent, fields.pop("channel_name"), **fields)


class ContentFactory(factory.django.DjangoModelFactory[Content]):
    """A content of `channel`, or of a new channel; `content` is its body."""

    class Meta:
        model = Content

    channel = factory.SubFactory(ChannelFactory)
    site = factory.LazyAttribute(lambda made: made.channel.site)
    title = factory.Sequence(lambda n: f"Title {n}")
    taxis = factory.Sequence(lambda n: n + 1)
    add_date = factory.LazyFunction(lambda: timezone.now().replace(microsecond=0))
    last_edit_date = factory.SelfAttribute("add_date")

    @classmethod
    def _create(cls, model_class, *args, content="", **fields):
        made = super()._create(model_class, *args, **fields)
        ContentBody.objects.create(content=made, text=content)
        return made


class ApiKeyFactory(factory.django.DjangoModelFactory[ApiKey]):
    """A key; its token is in `token`."""

    class Meta:
        model = ApiKey

    name = factory.Sequence(lambda n: f"key {n}")
    administrator = factory.SubFactory(AdministratorFactory)
    scopes = "Contents:write,Channels:write,STL:write"

    @classmethod
    def _create(cls, model_class, *args, name, administrator, **fields):
        # The form's checks would take a third of the time of most tests' setup.
        with patch.object(ApiKey, "full_clean", ApiKey.clean):
            key, key.token = ApiKey.objects.issue(name, administrator, **fields)
        return key
