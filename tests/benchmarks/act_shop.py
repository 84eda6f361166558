"""A shop that others wrote: django-oscar from PyPI with twelve products, and a person who can log in."""

import subprocess
import sys
from pathlib import Path

from tests.benchmarks.strangers import Server

EMAIL, PASSWORD = "ada@shop.test", "lamp-lamp-7"
_PYPI = ("django-oscar[sorl-thumbnail]", "whoosh")
_APPS = (
    "analytics Analytics", "checkout Checkout", "address Address", "shipping Shipping", "catalogue Catalogue",
    "catalogue.reviews CatalogueReviews", "communication Communication", "partner Partner", "basket Basket",
    "payment Payment", "offer Offer", "order Order", "customer Customer", "search Search", "voucher Voucher",
    "wishlists Wishlists", "dashboard Dashboard", "dashboard.reports ReportsDashboard",
    "dashboard.users UsersDashboard", "dashboard.orders OrdersDashboard", "dashboard.catalogue CatalogueDashboard",
    "dashboard.offers OffersDashboard", "dashboard.partners PartnersDashboard", "dashboard.pages PagesDashboard",
    "dashboard.ranges RangesDashboard", "dashboard.reviews ReviewsDashboard", "dashboard.vouchers VouchersDashboard",
    "dashboard.communications CommunicationsDashboard", "dashboard.shipping ShippingDashboard",
)  # fmt: skip
_SETTINGS = """\
from oscar.defaults import *
SECRET_KEY = "for a benchmark"
DEBUG = True
ALLOWED_HOSTS = ["*"]
SITE_ID = 1
ROOT_URLCONF = "shop_urls"
USE_TZ = True
STATIC_URL, MEDIA_URL, MEDIA_ROOT = "/static/", "/media/", "media"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
INSTALLED_APPS = [
    *(f"django.contrib.{name}" for name in ("admin", "auth", "contenttypes", "sessions", "messages", "staticfiles",
                                            "sites", "flatpages")),
    "oscar.config.Shop",
    *(f"oscar.apps.{app.split()[0]}.apps.{app.split()[1]}Config" for app in APPS),
    "widget_tweaks", "haystack", "treebeard", "sorl.thumbnail", "django_tables2",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware", "oscar.apps.basket.middleware.BasketMiddleware",
]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True, "OPTIONS": {
    "context_processors": [
        "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
        "django.contrib.messages.context_processors.messages", "oscar.apps.search.context_processors.search_form",
        "oscar.apps.checkout.context_processors.checkout", "oscar.core.context_processors.metadata",
        "oscar.apps.communication.notifications.context_processors.notifications",
    ]}}]
AUTHENTICATION_BACKENDS = ("oscar.apps.customer.auth_backends.EmailBackend",)
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.whoosh_backend.WhooshEngine", "PATH": "index"}}
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "shop.db", "ATOMIC_REQUESTS": True}}
"""
_URLS = """\
from django.apps import apps
from django.urls import include, path
urlpatterns = [
    path("i18n/", include("django.conf.urls.i18n")),
    path("", include(apps.get_app_config("oscar").urls[0])),
]
"""
_FILL = """\
import django
django.setup()
from decimal import Decimal
from django.contrib.auth import get_user_model
from oscar.core.loading import get_model
if not get_user_model().objects.exists():
    get_user_model().objects.create_user(username="ada", email="EMAIL", password="PASSWORD")
    for code, name in (("NO", "Norway"), ("SE", "Sweden")):
        get_model("address", "Country").objects.create(
            iso_3166_1_a2=code, iso_3166_1_a3=code + "X", printable_name=name, name=name, is_shipping_country=True)
    kind = get_model("catalogue", "ProductClass").objects.create(name="Thing", track_stock=True)
    maker = get_model("partner", "Partner").objects.create(name="Maker")
    for n in range(1, 13):
        title = f"{('Desk lamp', 'Oak chair', 'Book shelf')[n % 3]} {n}"
        thing = get_model("catalogue", "Product").objects.create(title=title, product_class=kind)
        get_model("partner", "StockRecord").objects.create(
            product=thing, partner=maker, partner_sku=f"S{n}", price=Decimal(n * 10), num_in_stock=5000)
"""

SHOP = Server(
    "oscar",
    ("sh", "-c", "PYTHONPATH=. DJANGO_SETTINGS_MODULE=shop_settings exec python -m django runserver --noreload {port}"),
    (),
    prepare=tuple(
        ("sh", "-c", f"cd {{home}} && PYTHONPATH=. DJANGO_SETTINGS_MODULE=shop_settings python {command} 2>&1")
        for command in ("-m django migrate -v 0", "fill.py", "-m django rebuild_index --noinput")
    ),
    files=(
        ("shop_settings.py", f"APPS = {_APPS!r}\n{_SETTINGS}"),
        ("shop_urls.py", _URLS),
        ("fill.py", _FILL.replace("EMAIL", EMAIL).replace("PASSWORD", PASSWORD)),
    ),
)


def fetch_shop(cache: Path) -> None:
    """Install the newest one there, with a Python of its own."""
    python = cache / "py" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(cache / "py")], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "-q", *_PYPI], check=True)
