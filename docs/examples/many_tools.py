"""A hundred and twenty tools in fewer tokens, then under a limit; what is left out is named."""

from transom import convert_tools, minify
from transom.testing.toolset import priorities, tools

every_tool = tools()

for level in ("light", "standard", "tight"):
    written, report = minify(every_tool, level=level)
    print(f"{level}: {report.ratio:.2f} of {report.before:,} tokens")

written, report = minify(every_tool, level="light", limit_tokens=12_000, priority=priorities())
print(f"{len(written)} tools in {report.after:,} tokens, {len(report.left_out)} left out, for example {report.left_out[-1]}")

converted, conversion = convert_tools(written, "grammar")
print(f"{len(conversion.weakened)} places weaker, {len(conversion.refused)} refused")
