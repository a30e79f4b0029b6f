import type { Mail } from "./Mailer.ts"
import { renderMail } from "./template.ts"

/** Shows that mail works, and how it looks. */
export const testMail = ({
  baseUrl,
  messageId,
  to
}: {
  readonly baseUrl: string
  readonly messageId: string
  readonly to: string
}): Mail => ({
  messageId,
  to,
  subject: "Social Publisher: mail works",
  ...renderMail({
    workspaceName: "Social Publisher",
    heading: "Mail works",
    items: [
      {
        title: "Mail works",
        message: "The service can send mail. Members now get what they have chosen in their settings.",
        url: null
      }
    ],
    note: null,
    action: { label: "Open the dashboard", url: `${baseUrl}/` },
    footer: "An operator of the service has sent this test.",
    links: []
  })
})
