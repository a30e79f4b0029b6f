import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="Notifications" />
    <EmptyState icon="bell" title="No notifications">
      <p>What needs your attention appears here.</p>
    </EmptyState>
  </div>
)
