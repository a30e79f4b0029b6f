import type { ComponentChildren } from "preact"

export interface PageHeaderProps {
  readonly title: string
  /** One line about what stands below. */
  readonly description?: ComponentChildren
  /** Buttons at the end of the header, the main one last. */
  readonly actions?: ComponentChildren
}

/** The head of a page; its title is the only `h1`. */
export const PageHeader = ({ actions, description, title }: PageHeaderProps) => (
  <header class="page-header">
    <div class="page-heading">
      <h1>{title}</h1>
      {description !== undefined && <p class="secondary">{description}</p>}
    </div>
    {actions !== undefined && <div class="page-actions">{actions}</div>}
  </header>
)
