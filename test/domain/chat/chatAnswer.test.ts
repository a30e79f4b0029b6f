import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { interpretAnswer } from "../../../src/domain/chat/chatAnswer.ts"

const urls = {
  slack: "https://hooks.slack.com/services/T0canary/B0canary/canarysecret4711",
  discord: "https://discord.com/api/webhooks/123456/canarysecret4711",
  mattermost: "https://chat.example/hooks/canarysecret4711"
} as const

const answer = (status: number, body = "", retryAfter: Duration.Duration | null = null) => ({
  status,
  body,
  retryAfter
})

describe("Answers of chat programs", () => {
  it.each([
    ["slack", 404, "no_service"],
    ["slack", 410, "channel_is_archived"],
    ["slack", 403, "invalid_token"],
    ["discord", 404, '{"message": "Unknown Webhook", "code": 10015}'],
    ["discord", 401, '{"message": "Invalid Webhook Token", "code": 50027}'],
    ["mattermost", 404, '{"id":"web.incoming_webhook.invalid.app_error"}'],
    ["mattermost", 400, '{"id":"web.incoming_webhook.invalid.app_error","message":"Invalid webhook."}']
  ] as const)("%s says with %i and %s that the URL was revoked", (kind, status, body) => {
    const { isRevoked, result } = interpretAnswer(kind, urls[kind], answer(status, body))
    assert.isTrue(isRevoked)
    assert.deepInclude(result, { _tag: "Failed", isFinal: true })
  })

  it.each([
    ["slack", 400, "invalid_payload"],
    ["slack", 403, "action_prohibited"],
    ["slack", 500, "rollup_error"],
    ["slack", 302, ""],
    ["discord", 404, "<html>not found"],
    ["discord", 404, '{"message": "Unknown Channel", "code": 10003}'],
    ["discord", 400, '{"code": 50006}'],
    ["discord", 404, '{"code": "10015"}'],
    ["mattermost", 400, '{"id":"web.incoming_webhook.text.app_error"}'],
    ["mattermost", 404, "no such page"],
    ["mattermost", 501, '{"id":"web.incoming_webhook.disabled.app_error"}']
  ] as const)("%s may take the message later after %i and %s", (kind, status, body) => {
    const { isRevoked, result } = interpretAnswer(kind, urls[kind], answer(status, body))
    assert.isFalse(isRevoked)
    assert.deepInclude(result, { _tag: "Failed", isFinal: false })
  })

  it("The pause that a program asks for is honored, as whole or fractional seconds", () => {
    const slack = interpretAnswer("slack", urls.slack, answer(429, "rate_limited", Duration.seconds(30)))
    assert.deepInclude(slack.result, { retryAfter: Duration.seconds(30) })
    const discord = interpretAnswer("discord", urls.discord, answer(429, '{"retry_after": 64.57, "global": false}'))
    assert.deepInclude(discord.result, { retryAfter: Duration.seconds(64.57) })
    for (const wrong of ['{"retry_after": -1}', '{"retry_after": "soon"}', '{"retry_after": null}'])
      assert.notProperty(interpretAnswer("discord", urls.discord, answer(429, wrong)).result, "retryAfter")
  })

  it("An answer that repeats the URL does not show its secret", () => {
    for (const kind of ["slack", "discord", "mattermost"] as const) {
      const said = `no hook\n at ${urls[kind]} canarysecret4711`
      const { answer: shown, result } = interpretAnswer(kind, urls[kind], answer(500, said))
      assert.notInclude(JSON.stringify([shown, result]), "canarysecret")
      assert.notInclude(shown, "\n")
      assert.isBelow(interpretAnswer(kind, urls[kind], answer(500, "x ".repeat(5000))).answer.length, 300)
    }
  })
})
