"""Two tools of one's own, called beside those of the toolbox."""

import asyncio
from typing import Annotated

from msgspec import Meta

from transom.toolbox.box import Toolbox
from transom.toolbox.catalog import families
from transom.toolbox.tool import Family, Refused, Result, ToolContext, tool

ORDERS = {"A-17": "shipped", "A-18": "paid"}


@tool(family="orders", title="Look up an order", read_only=True, visible=True)
def order_status(context: ToolContext, order: Annotated[str, Meta(max_length=20)]) -> Result:
    """Say how far an order is.

    Args:
        order: its number, for example A-17.
    """
    if order not in ORDERS:
        raise Refused("not_found", f"There is no order {order}. Ask the customer for the number on the invoice.")
    return Result(data={"order": order, "status": ORDERS[order]}, text=f"Order {order} is {ORDERS[order]}.")


@tool(family="orders", title="Cancel an order", visible=True, confirm=True)
async def cancel_order(context: ToolContext, order: str, confirm: bool = False) -> Result:
    """Cancel an order for good.

    Args:
        order: its number.
        confirm: true once the user has agreed.
    """
    del ORDERS[order]
    return Result(text=f"Order {order} is cancelled.")


ORDER_TOOLS = Family(name="orders", title="Orders", tools=(order_status, cancel_order))


async def main() -> None:
    toolbox = Toolbox([*families(), ORDER_TOOLS])
    print((await toolbox.call("order_status", {"order": "A-17"})).text)
    refused = await toolbox.call("order_status", {"number": "A-17"})
    print(refused.error, "-", refused.text)
    print((await toolbox.call("cancel_order", {"order": "A-18"})).error)
    print((await toolbox.call("cancel_order", {"order": "A-18", "confirm": True})).text)


if __name__ == "__main__":
    asyncio.run(main())
