"""Chinese, simplified. See ``vocabulary.dates``."""

from __future__ import annotations

from ...dates import DateWords

__all__ = ["DATES"]

DATES = DateWords(
    locale="zh_CN",
    months=("1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"),
    weekdays=("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
    clock="{hh}:{minute}",
    standard="[时间：{year}-{mm}-{dd} {clock}]",
    standard_day="[日期：{year}-{mm}-{dd}]",
    prominent="今天是{year}年{month_name}{day}日，{weekday}，{clock}",
    prominent_day="今天是{year}年{month_name}{day}日，{weekday}",
)
