import type { Mail } from "./Mailer.ts"
import { renderMail } from "./template.ts"

interface PasswordLink {
  /** With the link's secret. */
  readonly url: string
  readonly to: string
  readonly messageId: string
}

export const passwordMail = ({ messageId, to, url }: PasswordLink): Mail => {
  const heading = "Choose another password"
  return {
    messageId,
    to,
    subject: `Social Publisher: ${heading.toLowerCase()}`,
    ...renderMail({
      workspaceName: "Social Publisher",
      heading,
      items: [{ title: heading, message: "The link works once, within an hour, and logs you out everywhere.", url }],
      note: null,
      action: { label: heading, url },
      footer: `Somebody asked for this for ${to}. If it was not you, ignore it: your password stays as it is.`,
      links: []
    })
  }
}
