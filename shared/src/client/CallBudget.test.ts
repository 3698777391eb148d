import { CallBudget } from './CallBudget.ts';

const start = () => new CallBudget({ maxAttempts: 5, budgetMs: 1000, rateLimitMs: 500 });
const FROM_SERVICE = { isService: true, isProxy: false };

it('a queue that moves gives back the time of refused attempts and of waits for the service', () => {
  const budget = start();
  budget.spendOnWait(50);
  for (const ms of [100, 200]) {
    budget.spendOnAttempt(ms);
    budget.noteRefusal();
    budget.spendOnServiceWait(150);
  }
  budget.spendOnAttempt(30);
  expect([budget.ownLeftMs, budget.forWait(FROM_SERVICE).elapsedMs]).toEqual([620, 300]);
  budget.restart();
  expect([budget.ownLeftMs, budget.forWait(FROM_SERVICE).elapsedMs]).toEqual([920, 0]);
  budget.noteRefusal();
  budget.restart();
  expect([budget.ownLeftMs, budget.isUsedUp]).toEqual([950, false]);
  budget.spendOnWait(950);
  expect(budget.isUsedUp).toBe(true);
});

it("the call's own time limit also covers waits for the service", () => {
  const budget = new CallBudget({ maxAttempts: 5, budgetMs: 1000, rateLimitMs: 500 }, 400);
  expect([budget.ownMs, budget.forWait(FROM_SERVICE).budgetMs]).toEqual([400, 400]);
});
