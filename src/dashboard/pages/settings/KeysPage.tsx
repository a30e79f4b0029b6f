import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="API keys" />
    <EmptyState icon="key" title="No API keys">
      <p>Keys let programs write and publish posts.</p>
    </EmptyState>
  </div>
)
