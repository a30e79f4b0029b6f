import { assert, describe, it } from "@effect/vitest"
import { describeBrowser } from "../../src/dashboard/pages/settings/describeBrowser.ts"

describe("What people recognize a session by", () => {
  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
      "Edge on Windows"
    ],
    [
      "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
      "Safari on macOS"
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0 Mobile/15E148 Safari/604.1",
      "Chrome on iPhone"
    ],
    [
      "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
      "Chrome on Android"
    ],
    ["curl/8.16.0", "curl"],
    ["Something of its own", "Something of its own"],
    ["", "Unknown browser"],
    [null, "Unknown browser"]
  ])("A browser and its system are named as people call them: %s", (userAgent, name) => {
    assert.strictEqual(describeBrowser(userAgent), name)
  })
})
