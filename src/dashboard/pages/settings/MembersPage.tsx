import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="Members" />
    <EmptyState icon="accounts" title="No members">
      <p>The people of this workspace appear here.</p>
    </EmptyState>
  </div>
)
