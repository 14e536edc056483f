"""Experiments on Laravel, nginx, php-fpm and PostgreSQL."""
