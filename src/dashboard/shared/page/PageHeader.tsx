import type { ComponentChildren } from "preact"

export interface PageHeaderProps {
  readonly title: string
  readonly description?: ComponentChildren
  /** The primary action comes last. */
  readonly actions?: ComponentChildren
}

export const PageHeader = ({ actions, description, title }: PageHeaderProps) => (
  <header class="page-header">
    <div class="page-heading">
      <h1>{title}</h1>
      {description !== undefined && <p class="secondary">{description}</p>}
    </div>
    {actions !== undefined && <div class="page-actions">{actions}</div>}
  </header>
)
