"""AG-UI: what an agent sends to a front end, event by event."""

from weft.protocol import ProtocolSpec
from weft.protocols.ag_ui.encode import AGUIEncoder
from weft.protocols.ag_ui.request import AGUITurn
from weft.unfold import at_once

PROTOCOL = ProtocolSpec(
    name="ag-ui", title="AG-UI events", framing="sse", encoder=AGUIEncoder, reply=at_once(AGUIEncoder), turn=AGUITurn
)
