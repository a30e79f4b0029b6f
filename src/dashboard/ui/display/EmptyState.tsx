import type { ComponentChildren } from "preact"
import { Icon, type IconName } from "../Icon.tsx"

export interface EmptyStateProps {
  readonly icon: IconName
  readonly title: string
  readonly children: ComponentChildren
  readonly action?: ComponentChildren
  /** True if it fills a page that has no other heading. */
  readonly isPage?: boolean
}

export const EmptyState = ({ action, children, icon, isPage = false, title }: EmptyStateProps) => {
  const Title = isPage ? "h1" : "h2"
  return (
    <div class="empty">
      <span class="empty-icon">
        <Icon name={icon} size={20} />
      </span>
      <Title>{title}</Title>
      <div class="empty-text">{children}</div>
      {action !== undefined && <div class="empty-action">{action}</div>}
    </div>
  )
}
