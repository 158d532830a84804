-- KEYS: a minute. ARGV: the users.
-- Adds the users to the minute if it exists and does not expire. Replies with the number of users that changed it, and with
-- the error for the first user that it did not accept, or an empty string; with nil if it does not exist or expires.
local minute = KEYS[1]
local length = redis.pcall('STRLEN', minute)
if type(length) == 'table' then return length end
if redis.call('PTTL', minute) ~= -1 then return false end
local changed = 0
for user = 1, #ARGV do
  local added = redis.pcall('PFADD', minute, ARGV[user])
  if type(added) == 'table' then
    if user == 1 then return added end
    return {changed, added.err}
  end
  changed = changed + added
end
return {changed, ''}
