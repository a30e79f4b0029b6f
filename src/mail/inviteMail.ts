import type { Role } from "../domain/people/role.ts"
import type { Mail } from "./Mailer.ts"
import { subjectLine } from "./subjectLine.ts"
import { renderMail } from "./template.ts"

interface Invitation {
  /** With the invitation's secret. */
  readonly url: string
  readonly to: string
  readonly role: Role
  readonly workspaceName: string
  /** Null if it is not known. */
  readonly invitedBy: string | null
  readonly messageId: string
}

export const inviteMail = ({ invitedBy, messageId, role, to, url, workspaceName }: Invitation): Mail => {
  const heading = `Join ${workspaceName}`
  return {
    messageId,
    to,
    subject: subjectLine(`${workspaceName}: you are invited`),
    ...renderMail({
      workspaceName,
      heading,
      items: [
        {
          title: heading,
          message: `${invitedBy ?? "An admin"} has invited you as ${role}. The link works once, within 72 hours.`,
          url
        }
      ],
      note: null,
      action: { label: "Accept the invitation", url },
      footer: `You get this because somebody entered ${to} as the address to invite. If you did not expect it, ignore it: nothing happens without you.`,
      links: []
    })
  }
}
