import type { ComponentChildren } from "preact"
import { classes } from "./classes.ts"

/** Drawn on a grid of 16 pixels with a stroke of 1.5. */
const drawings = {
  calendar: [
    <rect x="2.25" y="3.25" width="11.5" height="10.5" rx="2" />,
    <path d="M2.5 6.5h11M5.5 1.75v3M10.5 1.75v3" />
  ],
  posts: <path d="M2.75 4h10.5M2.75 8h10.5M2.75 12h6.5" />,
  approvals: [<circle cx="8" cy="8" r="6" />, <path d="m5.5 8.25 1.75 1.75 3.25-3.75" />],
  bell: <path d="M8 2a4 4 0 0 0-4 4v2.5L2.75 11h10.5L12 8.5V6a4 4 0 0 0-4-4ZM6.5 13.25a1.6 1.6 0 0 0 3 0" />,
  accounts: [
    <circle cx="6" cy="5.5" r="2.5" />,
    <path d="M1.75 13.25c.3-2.4 1.9-3.75 4.25-3.75s3.95 1.35 4.25 3.75M10.75 3.4a2.3 2.3 0 0 1 0 4.2M12 9.9c1.3.5 2.05 1.6 2.25 3.35" />
  ],
  settings: [
    <path d="M2.5 4.75h4.25M11.25 4.75h2.25M2.5 11.25h2.25M9.25 11.25h4.25" />,
    <circle cx="9" cy="4.75" r="1.75" />,
    <circle cx="7" cy="11.25" r="1.75" />
  ],
  plus: <path d="M8 3v10M3 8h10" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  check: <path d="m3.25 8.5 3.25 3.25 6.25-7.5" />,
  chevronDown: <path d="m4.5 6.5 3.5 3.5 3.5-3.5" />,
  chevronLeft: <path d="M9.75 4.25 6 8l3.75 3.75" />,
  chevronRight: <path d="M6.25 4.25 10 8l-3.75 3.75" />,
  pencil: <path d="M10.25 3.25 12.75 5.75 5.5 13H3v-2.5l7.25-7.25ZM8.75 4.75l2.5 2.5" />,
  hand: (
    <path d="M5.25 8.5V4a1 1 0 0 1 2 0v3.25V2.75a1 1 0 0 1 2 0v4.5V3.75a1 1 0 0 1 2 0V9c0 3-1.4 4.75-4 4.75-1.9 0-2.8-.9-3.75-2.75L2.4 9.1c-.6-1.1.85-1.95 1.6-1l1.25 1.4" />
  ),
  clock: [<circle cx="8" cy="8" r="5.75" />, <path d="M8 4.75V8l2.25 1.5" />],
  arrowUp: <path d="M8 13V3.25M4 7l4-4 4 4" />,
  cross: [<circle cx="8" cy="8" r="5.75" />, <path d="m6 6 4 4M10 6l-4 4" />],
  question: [
    <circle cx="8" cy="8" r="5.75" />,
    <path d="M6.4 6.4a1.65 1.65 0 1 1 2.5 1.45c-.6.35-.9.65-.9 1.15M8 11.1v.05" />
  ],
  warning: <path d="M8 2.5 14 13H2L8 2.5ZM8 6.5v3M8 11.25v.05" />,
  search: [<circle cx="7" cy="7" r="4.25" />, <path d="m10.25 10.25 3 3" />],
  external: <path d="M6.5 3.5h-3v9h9v-3M9 3h4v4M13 3 7.5 8.5" />,
  copy: [
    <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />,
    <path d="M10.5 5.5v-1.5a1.5 1.5 0 0 0-1.5-1.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
  ],
  thread: [
    <circle cx="4" cy="4" r="1.75" />,
    <circle cx="4" cy="12" r="1.75" />,
    <path d="M4 5.75v4.5M8.5 4h5M8.5 12h5" />
  ],
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" stroke-width="2.25" />,
  image: [
    <rect x="2.25" y="2.75" width="11.5" height="10.5" rx="2" />,
    <path d="m2.5 11 3.25-3.25 2.5 2.5 1.75-1.75 3.5 3.5" />,
    <circle cx="10.25" cy="5.75" r=".9" />
  ],
  trash: <path d="M3 4.5h10M6 4.5V3h4v1.5M4.25 4.5l.5 8.75h6.5l.5-8.75M6.75 7v3.75M9.25 7v3.75" />,
  key: [<circle cx="5.25" cy="10.75" r="2.75" />, <path d="m7.25 8.75 6-6M10.75 5.25 12.5 7" />],
  webhook: [
    <circle cx="8" cy="4.5" r="1.75" />,
    <circle cx="3.75" cy="11.5" r="1.75" />,
    <circle cx="12.25" cy="11.5" r="1.75" />,
    <path d="M7.1 6 4.65 10M8.9 6l2.45 4M5.5 11.5h5" />
  ],
  logOut: <path d="M6.5 2.75h-3v10.5h3M10 5l3 3-3 3M13 8H6.5" />,
  keyboard: [
    <rect x="1.75" y="4" width="12.5" height="8" rx="1.5" />,
    <path d="M4.25 6.5h.01M6.75 6.5h.01M9.25 6.5h.01M11.75 6.5h.01M5 9.5h6" />
  ],
  eye: [
    <path d="M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8Z" />,
    <circle cx="8" cy="8" r="1.75" />
  ],
  eyeOff: (
    <path d="M6.2 4a6 6 0 0 1 1.8-.25C12 3.75 14.25 8 14.25 8a11 11 0 0 1-1.9 2.4M10.2 11.85a6 6 0 0 1-2.2.4C4 12.25 1.75 8 1.75 8a11 11 0 0 1 2.4-2.8M2.5 2.5l11 11" />
  ),
  refresh: <path d="M13 8a5 5 0 1 1-1.5-3.55M13 2.75v2.5h-2.5" />,
  link: (
    <path d="M6.75 9.25a2.5 2.5 0 0 0 3.55 0l2.2-2.2a2.5 2.5 0 0 0-3.55-3.55l-.7.7M9.25 6.75a2.5 2.5 0 0 0-3.55 0l-2.2 2.2a2.5 2.5 0 0 0 3.55 3.55l.7-.7" />
  ),
  filter: <path d="M2.5 4h11M4.75 8h6.5M7 12h2" />,
  grip: <path d="M6 4h.01M10 4h.01M6 8h.01M10 8h.01M6 12h.01M10 12h.01" stroke-width="2" />,
  play: <path d="M5 3.5v9l7.5-4.5L5 3.5Z" />,
  reply: <path d="M6.5 3.5 2.75 7.25 6.5 11M3 7.25h5.5c2.75 0 4.5 1.75 4.5 4.75" />
} satisfies Record<string, ComponentChildren>

export type IconName = keyof typeof drawings

export interface IconProps {
  readonly name: IconName
  /** Pixels; 16 by default. */
  readonly size?: number
  readonly class?: string
}

/** Hidden from screen readers, because nearby words say the same. */
export const Icon = ({ class: className, name, size = 16 }: IconProps) => (
  <svg
    class={classes("icon", className)}
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    {drawings[name]}
  </svg>
)
