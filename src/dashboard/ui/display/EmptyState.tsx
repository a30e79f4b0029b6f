import type { ComponentChildren } from "preact"
import { Icon, type IconName } from "../Icon.tsx"

export interface EmptyStateProps {
  readonly icon: IconName
  readonly title: string
  /** What this place is for, and the one next step. */
  readonly children: ComponentChildren
  readonly action?: ComponentChildren
}

export const EmptyState = ({ action, children, icon, title }: EmptyStateProps) => (
  <div class="empty">
    <span class="empty-icon">
      <Icon name={icon} size={20} />
    </span>
    <h2>{title}</h2>
    <div class="empty-text">{children}</div>
    {action !== undefined && <div class="empty-action">{action}</div>}
  </div>
)
