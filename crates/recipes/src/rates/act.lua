-- KEYS: a history. ARGV: the period in milliseconds, the maximum number of actions in it, and 1 if a denied action counts,
-- else 0.
-- Replies with 1 if the action is allowed, else with 0; with the number of actions after the call; with the current time;
-- with the time of the last action, or nil; and with the time of the action that has to leave the period before another one
-- is allowed, or nil. Times are in milliseconds since the epoch.
local history, period, most = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function text(number) return string.format('%.0f', number) end

local over = redis.pcall('ZREMRANGEBYSCORE', history, '-inf', text(now - period))
if type(over) == 'table' then return over end
local count = redis.pcall('ZCARD', history)
-- The slot is migrating to another node of a cluster. The history is empty and its key does not exist any more, so this
-- node does not let a script create it. The next call goes to the other node.
if type(count) == 'table' then return redis.error_reply('TRYAGAIN the slot of the history moves') end
local allowed = count < most
if allowed or ARGV[3] == '1' then
  local score = text(now)
  local number = redis.call('ZCOUNT', history, score, score)
  local name = number == 0 and score or score .. '-' .. text(number)
  -- A name can be in use if another client has added or removed actions.
  while redis.call('ZADD', history, 'NX', score, name) == 0 do
    number = number + 1
    name = score .. '-' .. text(number)
  end
  redis.call('PEXPIREAT', history, text(now + period + 1000))
  count = count + 1
end
-- Returns the time of the action with this rank.
local function time_of(rank)
  return redis.call('ZRANGE', history, text(rank), text(rank), 'WITHSCORES')[2]
end
local last = count > 0 and time_of(count - 1)
local first_to_go = not allowed and most > 0 and time_of(count - most)
return {allowed and 1 or 0, count, now, last, first_to_go}
