"""What stands in the place of a typed message whose words the transcript does not hold."""

from __future__ import annotations

NOT_IN_TRANSCRIPT = "[a message whose words the transcript does not hold]"
