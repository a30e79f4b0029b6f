import { Card } from "../../app/Card.tsx"

export const Page = () => (
  <Card title="Invitation">
    <p class="secondary">Open the link that you were sent. It works once, for 72 hours.</p>
  </Card>
)
