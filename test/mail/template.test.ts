import { assert, describe, it } from "@effect/vitest"
import { subjectLine } from "../../src/mail/subjectLine.ts"
import { renderMail } from "../../src/mail/template.ts"

describe("What a mail shows", () => {
  it("Names and texts do not change the direction of anything else in a mail", () => {
    const turned = "\u202egnp.\u2066x"
    const { html, text } = renderMail({
      workspaceName: `Acme ${turned}`,
      heading: `Join ${turned}`,
      items: [
        { title: turned, message: `First ${turned}\nSecond 👩‍🚀`, url: null },
        { title: "Another", message: turned, url: null }
      ],
      note: null,
      action: { label: "Open", url: "https://posts.example/" },
      footer: `You get this as a member of ${turned}.`,
      links: []
    })
    for (const shown of [html, text, subjectLine(`${turned}: invited`)]) {
      assert.notMatch(shown, /[\u202a-\u202e\u2066-\u2069]/)
      assert.include(shown, "gnp.x")
    }
    assert.include(text, "Second 👩‍🚀")
  })
})
