import { Icon, type IconName } from "../Icon.tsx"

export const statuses = {
  draft: { word: "Draft", icon: "pencil" },
  approval: { word: "Awaiting approval", icon: "hand" },
  scheduled: { word: "Scheduled", icon: "clock" },
  publishing: { word: "Publishing", icon: "arrowUp" },
  retrying: { word: "Trying again", icon: "refresh" },
  limited: { word: "Waits for the limit", icon: "clock" },
  published: { word: "Published", icon: "check" },
  failed: { word: "Failed", icon: "cross" },
  unknown: { word: "Unknown", icon: "question" }
} satisfies Record<string, { readonly word: string; readonly icon: IconName }>

/** The post's or target's own status, a pending approval, or an unknown outcome. */
export type ShownStatus = keyof typeof statuses

export const StatusBadge = ({ status }: { readonly status: ShownStatus }) => {
  const { icon, word } = statuses[status]
  return (
    <span class={`status status-${status}`}>
      <Icon name={icon} size={12} />
      <span>{word}</span>
    </span>
  )
}
