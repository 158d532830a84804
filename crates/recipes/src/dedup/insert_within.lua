-- KEYS: the younger filter, the older one. ARGV: the capacity of a new filter, its error rate, the period in milliseconds,
-- and the items.
-- Replies with 1 for each item that neither filter contained, and with 0 for the others.
local key, older, period, items = KEYS[1], KEYS[2], tonumber(ARGV[3]), from(4, ARGV)
local words = {'BF.INSERT', key, 'CAPACITY', ARGV[1], 'ERROR', ARGV[2], 'EXPANSION', '2', 'ITEMS'}
local held = redis.pcall('BF.CARD', older)
if type(held) == 'table' then return held end
held = redis.pcall('BF.CARD', key)
if type(held) == 'table' then return held end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local is_new = redis.call('EXISTS', key) == 0
if not is_new then
  -- A filter without an expiry was created by another program, and is treated as old.
  local ends = redis.call('PEXPIRETIME', key)
  if ends < 0 or ends - now <= math.floor(period / 2) then
    if is_moving(older) then return try_again() end
    redis.call('RENAME', key, older)
    is_new = true
  else
    local refused = refusal(key, items, #items)
    if refused then return refused end
  end
end
local known = ask({'BF.MEXISTS', older}, items, 1, #items)
local added = ask(words, items, 1, #items)
if is_new then redis.call('PEXPIREAT', key, string.format('%.0f', now + period)) end
if added.err then return added end
for i = 1, #added do added[i] = added[i] * (1 - known[i]) end
return added
