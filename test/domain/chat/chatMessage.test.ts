import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { chatMessage } from "../../../src/domain/chat/chatMessage.ts"
import { planContent } from "../../../src/domain/mail/deliveredContent.ts"
import { type ChannelKind, channelKinds } from "../../../src/domain/plain/chat.ts"
import { receiversOf } from "../../../src/domain/mail/mailPreferences.ts"
import { defaultChannelTypes, mailTypes } from "../../../src/domain/plain/mail.ts"

const hostile =
  "1. :tada: :+1: @all @channel @here @everyone @ada <!channel> <!here|x> <@U123> <@&99> <#C1> **bold** *b* _i_ ~s~ `code` ||spoiler|| [click](https://evil.example) <https://evil.example|x> &lt;!channel&gt; > quote # title \u2028 - item\n@here\r\n# x"

const contentOf = (message: string, notifications = 1, count = notifications) => {
  const planned = planContent(
    {
      type: "post.failed",
      count,
      missing: 0,
      notifications: Array.from({ length: notifications }, () => ({
        type: "post.failed",
        title: "Not published on X",
        message,
        actionUrl: "/posts/01981ccb-6c31-7d2c-9f47-5b8ed0a7c1f4",
        count: 1
      }))
    },
    { baseUrl: "https://posts.example", wants: () => true, unwanted: "" }
  )
  if (planned._tag === "Drop") throw new Error(planned.reason)
  return planned.content
}

const Body = Schema.Struct({
  text: Schema.optionalKey(Schema.String),
  content: Schema.optionalKey(Schema.String),
  allowed_mentions: Schema.optionalKey(Schema.Struct({ parse: Schema.Array(Schema.String) })),
  mrkdwn: Schema.optionalKey(Schema.Boolean),
  blocks: Schema.optionalKey(
    Schema.Tuple([
      Schema.Struct({
        type: Schema.Literal("rich_text"),
        elements: Schema.Tuple([
          Schema.Struct({
            type: Schema.Literal("rich_text_section"),
            elements: Schema.Array(
              Schema.Union([
                Schema.Struct({
                  type: Schema.Literal("text"),
                  text: Schema.String,
                  style: Schema.optionalKey(Schema.Struct({ bold: Schema.Boolean }))
                }),
                Schema.Struct({ type: Schema.Literal("link"), text: Schema.String, url: Schema.String })
              ])
            )
          })
        ])
      })
    ])
  )
})
const decode = Schema.decodeUnknownSync(Body)

const textOf = (kind: ChannelKind, content: ReturnType<typeof contentOf>, workspace = "A team") => {
  const { content: discord, text } = decode(chatMessage(kind, workspace, content))
  return text ?? discord ?? ""
}

describe("Messages to channels", () => {
  it("A failure says what happened, with a link to the page", () => {
    const content = contentOf("“Hello” was rejected")
    const url = "https://posts.example/posts/01981ccb-6c31-7d2c-9f47-5b8ed0a7c1f4"
    assert.strictEqual(
      textOf("slack", content),
      `A team: Not published on X\n“Hello” was rejected\n<${url}|Open the post>`
    )
    assert.deepStrictEqual(decode(chatMessage("slack", "A team", content)).blocks?.[0].elements[0].elements, [
      { type: "text", text: "A team: Not published on X", style: { bold: true } },
      { type: "text", text: "\n" },
      { type: "text", text: "“Hello” was rejected" },
      { type: "text", text: "\n" },
      { type: "link", text: "Open the post", url }
    ])
    assert.strictEqual(
      textOf("discord", content),
      `**A team\\: Not published on X**\n“Hello” was rejected\n[Open the post](<${url}>)`
    )
    assert.strictEqual(
      textOf("mattermost", content),
      `**A team: Not published on X**\n“Hello” was rejected\n[Open the post](${url})`
    )
  })

  it("Text of a post pings nobody in Slack, and is shown as it is", () => {
    const { blocks, mrkdwn, text = "" } = decode(chatMessage("slack", "A <!here> team", contentOf(hostile)))
    assert.deepStrictEqual(text.match(/<[^>]*>/g), [
      "<https://posts.example/posts/01981ccb-6c31-7d2c-9f47-5b8ed0a7c1f4|Open the post>"
    ])
    assert.isFalse(mrkdwn)
    const shown = blocks?.[0].elements[0].elements.map((element) => element.text).join("") ?? ""
    assert.notMatch(shown, /<[!@#]/)
    for (const part of ["*b* _i_ ~s~ `code`", ":tada:", "&lt;!channel&gt;"]) assert.include(shown, part)
  })

  it("Text of a post pings nobody in Discord, and is shown as it is", () => {
    const { allowed_mentions, content = "" } = decode(chatMessage("discord", "A team", contentOf(hostile)))
    assert.deepStrictEqual(allowed_mentions, { parse: [] })
    const [, message = ""] = content.split("\n")
    for (const character of "*_~`|[]<>@#") {
      const bare = message.replaceAll(`\\${character}`, "")
      assert.notInclude(bare, character)
    }
    assert.match(message, /^1\\\. \\:tada\\:/)
  })

  it("Text of a post pings nobody in Mattermost, not even as Slack writes it", () => {
    const text = textOf("mattermost", contentOf(hostile), "@all <!channel>")
    assert.notMatch(text, /@[\w!]/)
    assert.notMatch(text, /<|&lt;!channel&gt;/)
    assert.include(text, "@\u200ball")
  })

  it("A name of an emoji in a text stays its name in Mattermost", () => {
    assert.notMatch(
      textOf("mattermost", contentOf(hostile), "The :rocket: team").replaceAll("\\", ""),
      /:[a-z0-9_+-]+:/
    )
  })

  it("Characters that change the direction reach no chat program, neither in a text nor in a name", () => {
    for (const kind of channelKinds) {
      const body = JSON.stringify(chatMessage(kind, "A \u202emaet", contentOf("“\u2066Hello\u202d” 👩‍🚀 was rejected")))
      assert.notMatch(body, /[\u202a-\u202e\u2066-\u2069]/)
      assert.include(body, "👩‍🚀")
    }
  })

  it("A line break in a text begins no line of its own", () => {
    for (const kind of channelKinds) assert.lengthOf(textOf(kind, contentOf(hostile)).split("\n"), 3)
  })

  it("A check of what is due soon has a line for each finding, as many as fit", () => {
    const contentOfCheck = (findings: number) =>
      planContent(
        {
          type: "outlook.checked",
          count: 1,
          missing: 0,
          notifications: [
            {
              type: "outlook.checked",
              title: "6 posts need you",
              message: Array.from({ length: findings }, (_, index) => `Finding ${index} ${"x".repeat(100)}`).join("\n"),
              actionUrl: "/upcoming",
              count: 1
            }
          ]
        },
        { baseUrl: "https://posts.example", wants: () => true, unwanted: "" }
      )
    for (const [findings, isWhole] of [
      [3, true],
      [60, false]
    ] as const) {
      const planned = contentOfCheck(findings)
      if (planned._tag === "Drop") throw new Error(planned.reason)
      const lines = textOf("discord", planned.content).split("\n")
      assert.isAtMost(lines.join("\n").length, 2_000)
      assert.include(lines[1] ?? "", "Finding 0")
      assert.strictEqual(lines.includes("…"), !isWhole)
      assert.include(lines.at(-1) ?? "", "/upcoming")
    }
  })

  it("As many notifications as fit are listed, and all others counted", () => {
    const limits = { slack: 3_000, discord: 2_000, mattermost: 4_000 } as const
    for (const kind of channelKinds) {
      for (const message of ["&".repeat(500), "*".repeat(500), "💥".repeat(500), "short"]) {
        const text = textOf(kind, contentOf(message, 20, 312), "&".repeat(100))
        assert.isAtMost(text.length, limits[kind])
        assert.isTrue(text.isWellFormed())
        const listed = text.split("\n").filter((line) => line.startsWith("•")).length
        assert.include(text.replaceAll("\\", ""), `And ${312 - listed} other notifications.`)
        assert.include(text, "312 posts were not published")
      }
    }
  })

  it("A channel gets by default what admins get by mail", () => {
    const admin = { role: "admin", modes: {}, mutedUntil: null } as const
    const now = DateTime.makeUnsafe(0)
    assert.deepStrictEqual(
      defaultChannelTypes,
      mailTypes.filter((type) => receiversOf([admin], type, now).length > 0)
    )
  })
})
