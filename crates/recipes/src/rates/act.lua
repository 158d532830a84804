-- KEYS: a history. ARGV: the period in milliseconds, the most actions in it, and 1 if one that is refused counts, else 0.
-- Replies with 1 if the action is allowed, else with 0; with how many there are then; with the time; with the time of the
-- last one, or nil; and with the time of the one that has to be over until there is room, or nil. Times are milliseconds
-- since the epoch.
local history, period, most = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end

local over = redis.pcall('ZREMRANGEBYSCORE', history, '-inf', text(now - period))
if type(over) == 'table' then return over end
local count = redis.pcall('ZCARD', history)
-- The slot moves to another node of a cluster, and now that all is gone this one lets no script make the key. The next call is
-- for the other node.
if type(count) == 'table' then return redis.error_reply('TRYAGAIN the slot of the history moves') end
local allowed = count < most
if allowed or ARGV[3] == '1' then
  local score = text(now)
  local number = redis.call('ZCOUNT', history, score, score)
  local name = number == 0 and score or score .. '-' .. text(number)
  -- A name may be taken, where another client has put actions in or taken some out.
  while redis.call('ZADD', history, 'NX', score, name) == 0 do
    number = number + 1
    name = score .. '-' .. text(number)
  end
  redis.call('PEXPIREAT', history, text(now + period + 1000))
  count = count + 1
end
-- The time of the action of that rank.
local function time_of(rank)
  return redis.call('ZRANGE', history, text(rank), text(rank), 'WITHSCORES')[2]
end
local last = count > 0 and time_of(count - 1)
local first_to_go = not allowed and most > 0 and time_of(count - most)
return {allowed and 1 or 0, count, now, last, first_to_go}
