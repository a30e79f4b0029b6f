import { assert, describe, it } from "@effect/vitest"
import { explainWrongUrl, withConfirmation } from "../../../src/domain/chat/channelUrl.ts"

describe("URLs of channels", () => {
  it.each([
    ["slack", "https://hooks.slack.com/services/T000/B000/abcDEF123"],
    ["slack", "https://hooks.slack-gov.com/services/T000/B000/abcDEF123"],
    ["discord", "https://discord.com/api/webhooks/1234/ab_c-D"],
    ["discord", "https://discordapp.com/api/webhooks/1234/ab_c-D"],
    ["discord", "https://discord.com/api/v10/webhooks/1234/ab_c-D?thread_id=99"],
    ["mattermost", "https://chat.example/hooks/abc123"],
    ["mattermost", "https://example.com/team/chat/hooks/abc123"]
  ] as const)("One of %s is taken: %s", (kind, url) => {
    assert.isUndefined(explainWrongUrl(kind, url))
  })

  it.each([
    ["slack", "http://hooks.slack.com/services/T000/B000/abc"],
    ["slack", "https://hooks.slack.com.evil.example/services/T000/B000/abc"],
    ["slack", "https://hooks.slack.com:8443/services/T000/B000/abc"],
    ["slack", "https://user@hooks.slack.com.evil.example/services/T/B/a"],
    ["slack", "https://evil.example/https://hooks.slack.com/services/T000/B000/abc"],
    ["slack", "https://hooks.slack.com/workflows/T000/A000/1/abc"],
    ["slack", "https://hooks.slack.com/services/T000/B000"],
    ["slack", "https://hooks.slack.com/services/T000/B000/abc?x=1"],
    ["slack", "https://hooks.slack.com/services/T000/B000/abc#x"],
    ["discord", "https://discord.com/api/webhooks/1234"],
    ["discord", "https://discord.com/api/webhooks/1234/abc?wait=false"],
    ["discord", "https://discord.gg/api/webhooks/1234/abc"],
    ["discord", "https://discord.com/api/webhooks/../users/abc"],
    ["discord", "https://discord.com/api/webhooks/1234/abc "],
    ["slack", "https://hooks.slack.com/services/T000/B000/a\tbc"],
    ["mattermost", " https://chat.example/hooks/abc123"],
    ["mattermost", "https://chat.example/api/v4/posts"],
    ["mattermost", "https://chat.example/hooks/"],
    ["mattermost", "hooks/abc"],
    ["mattermost", ""]
  ] as const)("None of %s is refused, and the answer shows one: %s", (kind, url) => {
    assert.match(explainWrongUrl(kind, url) ?? "", /^This is not the URL of an incoming webhook of \w+, such as https:/)
  })

  it("Discord is asked to confirm, and others are not", () => {
    assert.strictEqual(
      withConfirmation("discord", "https://discord.com/api/webhooks/1/a"),
      "https://discord.com/api/webhooks/1/a?wait=true"
    )
    assert.strictEqual(
      withConfirmation("discord", "https://discord.com/api/webhooks/1/a?thread_id=2"),
      "https://discord.com/api/webhooks/1/a?thread_id=2&wait=true"
    )
    assert.strictEqual(
      withConfirmation("slack", "https://hooks.slack.com/services/T/B/a"),
      "https://hooks.slack.com/services/T/B/a"
    )
  })
})
