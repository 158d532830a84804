-- Returns whether the time until which keys are kept has passed. It is in milliseconds since the epoch; an empty string
-- means that keys do not expire.
local function is_over(kept_until)
  if kept_until == '' then return false end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000) >= tonumber(kept_until)
end
local NOT_KEPT = redis.error_reply('ERR the bucket is not kept any more')
