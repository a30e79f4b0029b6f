import { PageHeader } from "../../app/PageHeader.tsx"
import { EmptyState } from "../../ui/EmptyState.tsx"

export const Page = () => (
  <div class="page">
    <PageHeader title="Calendar" />
    <EmptyState icon="calendar" title="Nothing is planned">
      <p>Scheduled posts appear here on their day.</p>
    </EmptyState>
  </div>
)
