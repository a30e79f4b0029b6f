import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="Approvals" />
    <EmptyState icon="approvals" title="Nothing waits for approval">
      <p>Drafts that somebody wants to schedule appear here.</p>
    </EmptyState>
  </div>
)
